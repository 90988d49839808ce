<?php

use Illuminate\Support\Facades\Route;

Route::get('/', fn () => 'A fresh shop.');
